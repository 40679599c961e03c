print("ÿþ")
