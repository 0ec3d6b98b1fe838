-- Adds what a server counted in a second or a minute to the past that servers share.
--   KEYS  1 the stream  2 the number of the last slot of this server  3 good and bad requests by the hour
--         4 the names of its rules
--   ARGV  1 the server  2 the number of the slot  3 its time  4 the hash of the names of its rules  5 its counts
--         6 the seconds for which entries are kept  7 the largest number of entries
--         8 the hour of a minute, empty for a second  9 good requests  10 bad requests  11 the hours that are kept
--   reply 1 the clock in milliseconds  2 the id of the entry, empty if this slot was added before
--         3 whether the names are there, 1 or 0: Redis may have been emptied since they were written
-- Atomic, so that a slot that is sent again after a timeout is added once, to the stream and to its hour.
local time = redis.call('TIME')
local now = tonumber(time[1])
local millis = now * 1000 + math.floor(tonumber(time[2]) / 1000)
local keep = tonumber(ARGV[6])
local named = redis.call('EXISTS', KEYS[4])
if tonumber(redis.call('GET', KEYS[2]) or '0') >= tonumber(ARGV[2]) then
  return {millis, '', named}
end
redis.call('SET', KEYS[2], ARGV[2], 'EX', keep + 3600)
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[7], '*', 's', ARGV[1], 't', ARGV[3], 'n', ARGV[4], 'f', ARGV[5])
redis.pcall('XTRIM', KEYS[1], 'MINID', '~', tostring((now - keep) * 1000))
redis.call('EXPIRE', KEYS[1], keep + 3600)
if ARGV[8] ~= '' then
  redis.call('HSETNX', KEYS[3], 'since', tostring(now))
  redis.call('HINCRBY', KEYS[3], ARGV[8] .. ':good', ARGV[9])
  redis.call('HINCRBY', KEYS[3], ARGV[8] .. ':bad', ARGV[10])
  if redis.call('HLEN', KEYS[3]) > 2 * tonumber(ARGV[11]) + 1 then
    local oldest = tonumber(ARGV[8]) - tonumber(ARGV[11])
    for _, field in ipairs(redis.call('HKEYS', KEYS[3])) do
      local hour = tonumber(string.match(field, '^(%d+):'))
      if hour and hour <= oldest then
        redis.call('HDEL', KEYS[3], field)
      end
    end
  end
  redis.call('EXPIRE', KEYS[3], (tonumber(ARGV[11]) + 1) * 3600)
end
return {millis, id, named}
