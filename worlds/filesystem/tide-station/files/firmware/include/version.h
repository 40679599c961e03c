#ifndef EBB_VERSION_H
#define EBB_VERSION_H

#define EBB_VERSION_MAJOR 2
#define EBB_VERSION_MINOR 3
#define EBB_VERSION_PATCH 1
#define EBB_VERSION "2.3.1"

/* Not the release: see docs/reference/wire-protocol.md. */
#define EBB_PROTOCOL "2.3.1"

#endif
