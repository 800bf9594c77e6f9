"""Every check of references, manifests, blobs, layouts and referrers, with its meaning and what to do."""

from __future__ import annotations

from verify.report import Check

REFERENCE = Check(
    id="oci.reference",
    title="reference is malformed",
    meaning="A reference to an artifact is not host/repository with an optional :tag and @digest, or a layout folder's.",
    remedy="Write it as oci://HOST/REPO[:TAG][@DIGEST] or ocidir://PATH[:TAG][@DIGEST].",
)
JSON_MALFORMED = Check(
    id="oci.json-malformed",
    title="document is not JSON",
    meaning="A manifest or index is not one JSON value in UTF-8, or holds what JSON readers disagree about (NaN, lone surrogates).",
    remedy="Have the artifact published again; if it comes from a registry, check that no login page stands in its place.",
)
JSON_DUPLICATE = Check(
    id="oci.json-duplicate-key",
    title="document names a key twice",
    meaning="A JSON object has one key twice, or a known key in another spelling of case. Two tools could read two different manifests from it.",
    remedy="Do not use the artifact. Ask its publisher how it was made.",
)
JSON_DEEP = Check(
    id="oci.json-deep",
    title="document is nested too deeply",
    meaning="A JSON document is nested deeper than any honest manifest.",
    remedy="Do not use the artifact.",
)
TOO_LARGE = Check(
    id="oci.too-large",
    title="document or blob is larger than its limit",
    meaning="A manifest, index or blob is larger than the limit for its kind. It was not read to its end.",
    remedy="Raise the limit only for a source you trust.",
)
MANIFEST_MALFORMED = Check(
    id="oci.manifest-malformed",
    title="manifest is malformed",
    meaning="A manifest or index lacks a field, or has one of the wrong type, or a schema version other than 2.",
    remedy="Have the artifact published again.",
)
MANIFEST_AMBIGUOUS = Check(
    id="oci.manifest-ambiguous",
    title="document is both a manifest and an index",
    meaning="A document has both manifests and layers or config, so that two readers can take it for two different things.",
    remedy="Do not use the artifact.",
)
MEDIA_TYPE = Check(
    id="oci.media-type",
    title="document is not what it was served as",
    meaning="The mediaType inside a document differs from the type under which it was served or referred to, or that type is no manifest.",
    remedy="Do not use the artifact. If a proxy changes content types, go around it.",
)
DESCRIPTOR_MALFORMED = Check(
    id="oci.descriptor-malformed",
    title="descriptor is malformed",
    meaning="A descriptor has no media type, digest and size of the right form.",
    remedy="Have the artifact published again.",
)
DIGEST_MISMATCH = Check(
    id="oci.digest-mismatch",
    title="bytes have another digest than was asked for",
    meaning="What a store gave for a digest has another digest. The store is damaged or lies.",
    remedy="Do not use the bytes. Fetch them from another place, and tell whoever runs the store.",
)
SIZE_MISMATCH = Check(
    id="oci.size-mismatch",
    title="bytes have another size than was stated",
    meaning="What a store gave for a descriptor is shorter or longer than the descriptor says.",
    remedy="Fetch it again; if it repeats, the artifact or the store is damaged.",
)
MANIFEST_UNKNOWN = Check(
    id="oci.manifest-unknown",
    title="no such manifest",
    meaning="The repository exists and has no manifest under this tag or digest.",
    remedy="Check the tag or digest. A clean-up job may have deleted an untagged manifest.",
)
BLOB_UNKNOWN = Check(
    id="oci.blob-unknown",
    title="no such blob",
    meaning="The repository has no blob of this digest, although something refers to it.",
    remedy="Copy or publish the artifact again.",
)
TAG_MOVED = Check(
    id="oci.tag-moved",
    title="version tag exists with other content",
    meaning="The tag already names another manifest. Whoever locked it would get other bytes than before.",
    remedy="Publish under a new version, or move the tag on purpose with --force.",
)
TAG_AMBIGUOUS = Check(
    id="oci.tag-ambiguous",
    title="tag names several manifests",
    meaning="A layout folder has one tag on several manifests. Which of them is meant depends on the tool that reads it.",
    remedy="Name the digest, or write the folder again.",
)
LAYOUT_MALFORMED = Check(
    id="oci.layout-malformed",
    title="folder is not an OCI layout",
    meaning="The oci-layout file or index.json is missing or is not what the image layout specification says.",
    remedy="Check the path; a layout folder holds oci-layout, index.json and blobs/.",
)
LAYOUT_IRREGULAR = Check(
    id="oci.layout-irregular",
    title="layout folder holds a link or device",
    meaning="Something in a layout folder is a symbolic link, a device or a pipe where a regular file or folder belongs.",
    remedy="Replace it by the file itself, if it is yours.",
)
LAYOUT_UNREADABLE = Check(
    id="oci.layout-unreadable",
    title="layout folder cannot be read or written",
    meaning="The system refused to open, read or write a file of the layout folder.",
    remedy="Check permissions and free space.",
)
LAYOUT_LOCKED = Check(
    id="oci.layout-locked",
    title="layout folder is locked",
    meaning="Another process has held the lock on index.json for a minute.",
    remedy="Wait for it or end it. The lock goes with its process; the file index.json.lock may stay.",
)
REFERRERS_INCOMPLETE = Check(
    id="oci.referrers-incomplete",
    title="list of referrers is incomplete",
    meaning="A limit was reached, or a part of the list could not be read. What is missing from it may still exist.",
    remedy="Raise the limit, or repair the list (modseal referrers --repair).",
)
REFERRER_FOREIGN = Check(
    id="oci.referrer-foreign",
    title="listed referrer refers to something else",
    meaning="A manifest is listed as attached to this subject and names another subject, or none.",
    remedy="It was ignored. Repair the list (modseal referrers --repair).",
)
REFERRER_MALFORMED = Check(
    id="oci.referrer-malformed",
    title="listed referrer cannot be read",
    meaning="An entry of a referrer list, or the manifest it names, is malformed or does not have the listed digest.",
    remedy="It was ignored. Attach it again, or repair the list (modseal referrers --repair).",
)
REFERRER_MISSING = Check(
    id="oci.referrer-missing",
    title="listed referrer does not exist",
    meaning="A list names a manifest that the repository does not have. A clean-up job may have deleted it.",
    remedy="Attach it again, or repair the list (modseal referrers --repair).",
)
FALLBACK_MALFORMED = Check(
    id="oci.fallback-malformed",
    title="fallback list is not an index",
    meaning="The tag that lists referrers where a registry has no referrers API names something that is not such a list.",
    remedy="Repair the list (modseal referrers --repair).",
)
FALLBACK_SUBJECT = Check(
    id="oci.fallback-is-subject",
    title="fallback list is its own subject",
    meaning="The registry answered the tag of the referrer list with the subject itself, so nobody knows what is attached.",
    remedy="Use a registry with the referrers API, or copy the artifact with its referrers to one.",
)
FALLBACK_LOST = Check(
    id="oci.fallback-lost",
    title="entry was lost from the fallback list",
    meaning="Our entry was written into the fallback list and was not there afterwards, several times: others write it too, or the tag cannot be moved.",
    remedy="Repeat it (modseal referrers --repair), or allow the tag sha256-… to be moved.",
)

CHECKS = (
    REFERENCE,
    JSON_MALFORMED,
    JSON_DUPLICATE,
    JSON_DEEP,
    TOO_LARGE,
    MANIFEST_MALFORMED,
    MANIFEST_AMBIGUOUS,
    MEDIA_TYPE,
    DESCRIPTOR_MALFORMED,
    DIGEST_MISMATCH,
    SIZE_MISMATCH,
    MANIFEST_UNKNOWN,
    BLOB_UNKNOWN,
    TAG_MOVED,
    TAG_AMBIGUOUS,
    LAYOUT_MALFORMED,
    LAYOUT_IRREGULAR,
    LAYOUT_UNREADABLE,
    LAYOUT_LOCKED,
    REFERRERS_INCOMPLETE,
    REFERRER_FOREIGN,
    REFERRER_MALFORMED,
    REFERRER_MISSING,
    FALLBACK_MALFORMED,
    FALLBACK_SUBJECT,
    FALLBACK_LOST,
)
