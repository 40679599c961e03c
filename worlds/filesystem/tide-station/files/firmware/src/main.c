#include "ring.h"
#include "sensor.h"
#include "version.h"
#include "wire.h"

static int32_t slots[512];

int main(void)
{
    struct ring ring;

    ring_init(&ring, slots, sizeof slots / sizeof slots[0]);
    wire_hello(EBB_VERSION, EBB_PROTOCOL);
    for (;;) {
        struct reading radar = radar_read();

        if (radar.code == EBB_OK) {
            if (!ring_put(&ring, radar.height_mm))
                wire_alarm(EBB_STATION_STORAGE_FULL);
        } else {
            wire_alarm(radar.code);
        }
        wire_flush(&ring);
    }
}
