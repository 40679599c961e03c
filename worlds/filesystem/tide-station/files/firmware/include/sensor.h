#ifndef EBB_SENSOR_H
#define EBB_SENSOR_H

#include <stdint.h>

#include "codes.h"

struct reading {
    int32_t height_mm;
    enum ebb_code code;
};

struct reading radar_read(void);
struct reading float_read(void);

#endif
