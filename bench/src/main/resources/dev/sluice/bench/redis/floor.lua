-- The least that could be called a limiter: count, and let the count go.
--
-- KEYS   the counter
-- ARGV   how long it is kept, in milliseconds
-- Reply  the count
--
-- Atomic because a script is: no other command runs in between.

local count = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return count
