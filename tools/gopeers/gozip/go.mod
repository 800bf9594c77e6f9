module modseal.invalid/gozip

go 1.25.0
