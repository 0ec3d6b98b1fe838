-- Puts up what holds for a key for a while, or takes it down.
--   KEYS  1 the board  2 the holds
--   ARGV  1 the name of the hold  2 the hold, empty to take it down  3 how many there may be
--   reply 1 if it was done, 0 if there are too many
-- Atomic, so that whoever sees the board changed sees the hold, too.
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[2], ARGV[1])
elseif redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 and redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[3]) then
  return 0
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
end
redis.call('HINCRBY', KEYS[1], 'holds', 1)
return 1
