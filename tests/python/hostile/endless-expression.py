import re

re.match(r"(a*)*b", "a" * 64)
