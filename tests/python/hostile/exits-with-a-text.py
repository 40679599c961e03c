raise SystemExit("the state is wrong")
