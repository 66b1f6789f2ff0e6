int size = 3;
