-- The floor with a look at the server's clock: what a limiter pays that does not trust the clocks of its callers.
--
-- KEYS   the counter
-- ARGV   how long it is kept, in milliseconds
-- Reply  the count; the time is read and not used
--
-- Atomic because a script is: no other command runs in between.

redis.call('TIME')
local count = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return count
