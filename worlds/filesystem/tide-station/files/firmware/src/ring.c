#include "ring.h"

void ring_init(struct ring *ring, int32_t *slots, size_t room)
{
    ring->slots = slots;
    ring->room = room;
    ring->head = ring->tail = 0;
}

bool ring_put(struct ring *ring, int32_t height_mm)
{
    size_t next = (ring->head + 1) % ring->room;

    if (next == ring->tail)
        return false;
    ring->slots[ring->head] = height_mm;
    ring->head = next;
    return true;
}

bool ring_take(struct ring *ring, int32_t *height_mm)
{
    if (ring->tail == ring->head)
        return false;
    *height_mm = ring->slots[ring->tail];
    ring->tail = (ring->tail + 1) % ring->room;
    return true;
}
