"""`deflate/1` in pure Python: one input, one compressed stream, on every machine and for ever.

The rules are in `docs/formats/deflate-1.md`. A stream is made in four steps, one module each:

- `matching` knows, for every position, which earlier positions may be copied from;
- `stream` walks the input once and turns it into literals and copies, cutting it into blocks;
- `blocks` writes a block in the cheapest of three ways, with the codes that `huffman` makes;
- `bits` puts bits into bytes.
"""
