-- Adds a version of the rules, if the newest one is still the one that its author has seen.
--   KEYS  1 the state of the shared rules  2 the versions, the newest first
--   ARGV  1 the id of the newest version as seen, empty for none  2 the id of the new one  3 the new one  4 how many to keep
--   reply 1 if it was added, else 0
-- Atomic, so that of two authors who saw the same version one wins and the other is told.
local newest = redis.call('HGET', KEYS[1], 'version') or ''
if newest ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'version', ARGV[2])
redis.call('LPUSH', KEYS[2], ARGV[3])
redis.call('LTRIM', KEYS[2], 0, ARGV[4] - 1)
return 1
