#!/bin/sh
# Stands between cargo and rustc, so that a guest does not depend on where its sources lie:
# cargo derives `-C metadata` of a package outside the workspace's directory from the absolute path,
# and metadata decides the order of functions; source paths appear in panic messages.
# Diagnostics keep the real paths.
rustc=$1
shift
if [ -n "$CARGO_MANIFEST_DIR" ]; then
    package="$CARGO_PKG_NAME-$CARGO_PKG_VERSION"
    case $CARGO_MANIFEST_DIR in
        "$MCPMARK_CARGO_HOME"/*) local= ;;
        *) local=yes ;;
    esac
    crate= previous=
    for argument do
        shift
        case $previous in --crate-name) crate=$argument ;; esac
        case $local,$argument in yes,metadata=*) argument="metadata=$package-$crate" ;; esac
        previous=$argument
        set -- "$@" "$argument"
    done
    set -- "$@" --remap-path-scope object --remap-path-prefix "$CARGO_MANIFEST_DIR=/src/$package"
    if [ -n "$OUT_DIR" ]; then
        set -- "$@" --remap-path-prefix "$OUT_DIR=/out/$package"
    fi
    set -- "$@" --remap-path-prefix "$MCPMARK_LIBRARY_SOURCE=/rustc/$MCPMARK_RUSTC_COMMIT"
fi
exec "$rustc" "$@"
