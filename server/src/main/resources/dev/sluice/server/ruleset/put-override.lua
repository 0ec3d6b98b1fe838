-- Adds or removes the temporary override of a key.
--   KEYS  1 the state of the shared rules  2 the overrides
--   ARGV  1 the name of the override  2 the override, empty to remove it  3 the largest number of overrides
--   reply 1 if it was done, 0 if there are too many overrides
-- Atomic, so that a server that sees the changed state also sees the override.
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[2], ARGV[1])
elseif redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[3]) then
  return 0
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
end
redis.call('HINCRBY', KEYS[1], 'overrides', 1)
return 1
