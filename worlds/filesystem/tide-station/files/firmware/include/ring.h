#ifndef EBB_RING_H
#define EBB_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Holds one reading less than it has room for. */
struct ring {
    int32_t *slots;
    size_t room, head, tail;
};

void ring_init(struct ring *ring, int32_t *slots, size_t room);
bool ring_put(struct ring *ring, int32_t height_mm);
bool ring_take(struct ring *ring, int32_t *height_mm);

#endif
