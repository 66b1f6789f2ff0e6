int limit(void);
