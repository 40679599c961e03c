#ifndef EBB_WIRE_H
#define EBB_WIRE_H

#include "codes.h"
#include "ring.h"

void wire_hello(const char *version, const char *protocol);
void wire_alarm(enum ebb_code code);
void wire_flush(struct ring *ring);

#endif
