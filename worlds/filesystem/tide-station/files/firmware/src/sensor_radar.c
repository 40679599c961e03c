#include "sensor.h"

/* Millimetres from the horn to chart datum; set by `ebb level`. */
extern int32_t radar_offset_mm;
extern int32_t radar_distance_mm(int *echo_db);

struct reading radar_read(void)
{
    struct reading reading = { 0, EBB_OK };
    int echo_db;
    int32_t distance = radar_distance_mm(&echo_db);

    if (distance < 0)
        reading.code = EBB_RADAR_NO_ECHO;
    else if (distance > 15000)
        reading.code = EBB_RADAR_RANGE;
    else if (echo_db < 20)
        reading.code = EBB_RADAR_WEAK_ECHO;
    reading.height_mm = radar_offset_mm - distance;
    return reading;
}
