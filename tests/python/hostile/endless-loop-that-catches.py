def spin():
    while True:
        try:
            while True:
                raise MemoryError
        except BaseException:
            pass


spin()
