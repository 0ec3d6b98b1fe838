-- The classic log with the contract of a limiter: by the server's clock, with what remains and when to try again.
--
-- KEYS   the sorted set
-- ARGV   the period in microseconds, permits per period, a name for this permit that no other has
-- Reply  1 or 0 for allowed or not, permits left, microseconds until one is free, microseconds until all are
--
-- Atomic because a script is: no other command runs in between.

local time = redis.call('TIME')
local now, period, permits = time[1] * 1000000 + time[2], tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, string.format('%.0f', now - period))
local used = redis.call('ZCARD', KEYS[1])
if used >= permits then
  local oldest = redis.call('ZRANGE', KEYS[1], used - permits, used - permits, 'WITHSCORES')
  local newest = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
  return { 0, 0, oldest[2] + period - now, newest[2] + period - now }
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[3])
redis.call('PEXPIRE', KEYS[1], math.ceil(period / 1000))
return { 1, permits - used - 1, 0, period }
