#include "wire.h"

extern void uart_send(const uint8_t *bytes, size_t count);

static uint16_t crc(const uint8_t *bytes, size_t count)
{
    uint16_t sum = 0xFFFF;

    while (count--) {
        sum ^= *bytes++;
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? (sum >> 1) ^ 0xA001 : sum >> 1;
    }
    return sum;
}

void wire_alarm(enum ebb_code code)
{
    uint8_t frame[] = { 0x7E, 1, (uint8_t)code, 0, 0 };
    uint16_t sum = crc(frame + 2, 1);

    frame[3] = sum & 0xFF;
    frame[4] = sum >> 8;
    uart_send(frame, sizeof frame);
}
