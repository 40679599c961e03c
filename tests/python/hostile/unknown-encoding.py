# -*- coding: klingon -*-
print("x")
