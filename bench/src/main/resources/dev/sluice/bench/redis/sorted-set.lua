-- The classic log: each permit is a member of a sorted set, scored by when it was taken.
--
-- KEYS   the sorted set
-- ARGV   now in microseconds by the caller's clock, the period in microseconds, permits per period, a name for this
--        permit that no other has
-- Reply  1 or 0 for allowed or not
--
-- Atomic because a script is: no other command runs in between.

local now, period = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, string.format('%.0f', now - period))
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[4])
redis.call('PEXPIRE', KEYS[1], math.ceil(period / 1000))
return 1
