-- The floor for many requests in one script.
--
-- KEYS   the counters, one for each request; one may come several times
-- ARGV   how long they are kept, in milliseconds
-- Reply  the count of each request
--
-- Atomic because a script is: no other command runs in between.

local counts = {}
for i, key in ipairs(KEYS) do
  counts[i] = redis.call('INCR', key)
  redis.call('PEXPIRE', key, ARGV[1])
end
return counts
