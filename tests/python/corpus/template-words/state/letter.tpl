Dear $name,
the harbour is ${state}. The harbour pays $$$sum.
