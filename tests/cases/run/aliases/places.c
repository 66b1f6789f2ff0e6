char begin[4], end[1];
