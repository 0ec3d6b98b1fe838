-- A token bucket in two strings, by the server's clock in whole seconds: the commands that the script of Spring Cloud
-- Gateway's rate limiter runs, in the same order, in our words.
--
-- KEYS   the tokens, and when they were counted
-- ARGV   tokens regained in a second, the most there can be, tokens asked for
-- Reply  1 or 0 for allowed or not, tokens left
--
-- Atomic because a script is: no other command runs in between.

local speed, most, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(redis.call('TIME')[1])
local tokens = tonumber(redis.call('GET', KEYS[1])) or most
local since = tonumber(redis.call('GET', KEYS[2])) or 0

tokens = math.min(most, tokens + math.max(0, now - since) * speed)
local allowed = 0
if tokens >= cost then
  allowed = 1
  tokens = tokens - cost
end

local seconds = math.floor(2 * most / speed)
if seconds > 0 then
  redis.call('SETEX', KEYS[1], seconds, tokens)
  redis.call('SETEX', KEYS[2], seconds, now)
end
return { allowed, tokens }
