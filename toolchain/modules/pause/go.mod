module kilonode.dev/toolchain/pause

go 1.26.0
