-- Says what is in use of each limit, and when it was taken. Takes nothing.
--
-- KEYS   one for each limit, and one more for each limit that continues the counts of another, all in one slot
-- ARGV   one string of little-endian doubles:
--        most      the most spans of one limit
--        then for each limit the numbers of its algorithm
-- Reply  1, now, packed as in decide.lua; then for each limit the permits in use and the number of its spans, and for each
--        span how long ago it began, how long ago it ended, and its permits; oldest first
--        or 3 or 4, now: nothing is said, as in decide.lua
--
-- Atomic, because Redis runs no other command during a script. @each and the like are explained in decide.lua.

local k, latest, problem, broken, copies = 0, now, 0, nil, nil
--@arguments most ...

-- Which multiple of length a number is in.
local function multiple(number, length)
  local rest = fmod(number, length)
  if rest < 0 then rest = rest + length end
  return (number - rest) / length
end

--@each
local key_ = KEYS[k + k_]
--@continue
--@read
local used_, freshAt_ = 0, ANCIENT
--@migrate
--@end

if problem ~= 0 then
  for i = 1, #(broken or {}) do call('DEL', broken[i]) end
  return pack('<Bd', problem, now)
end

local reply = { pack('<Bd', 1, now) }
--@each
--@used
do
  local spans = {}
  --@spans
  reply[#reply + 1] = pack('<dd', used_, #spans) .. table.concat(spans)
end
--@end
return table.concat(reply)
