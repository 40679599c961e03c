#ifndef EBB_CODES_H
#define EBB_CODES_H

/*
 * Codes of alarms. The word behind a code says what it costs:
 *   loss  the readings of that sensor are lost while it is active
 *   warn  the readings are still good
 * Those of the station concern both sensors.
 * 2.2 put EBB_RADAR_RANGE in the middle. Do not do that again.
 */
enum ebb_code {
    EBB_OK = 0x00,

    /* radar */
    EBB_RADAR_FIRST = 0x20,     /* never raised */
    EBB_RADAR_NO_ECHO,          /* loss */
    EBB_RADAR_WEAK_ECHO,        /* warn */
    EBB_RADAR_RANGE,            /* loss */
    EBB_RADAR_TEMP = 0x28,      /* warn */
    EBB_RADAR_BUS,              /* loss */

    /* float */
    EBB_FLOAT_FIRST = 0x40,     /* never raised */
    EBB_FLOAT_STUCK,            /* loss */
    EBB_FLOAT_SLIP,             /* warn */
    EBB_FLOAT_TAPE_END,         /* loss */
    EBB_FLOAT_ENCODER = 0x4a,   /* loss */
    EBB_FLOAT_NOISE,            /* warn */

    /* station */
    EBB_STATION_FIRST = 0x80,   /* never raised */
    EBB_STATION_POWER,          /* loss */
    EBB_STATION_STORAGE_FULL,   /* loss */
    EBB_STATION_CLOCK,          /* warn */
    EBB_STATION_DOOR = 0x90,    /* warn */
};

#endif
