-- Integers in doubles: exact up to 2^53 if every division uses an exact remainder.
-- math.fmod is exact, and takes longer the further its operands are apart. The % operator of Lua 5.1 takes the quotient from
-- a rounded division: where that was rounded up to a whole number, the remainder is what is missing to it, below 0. So for
-- a >= 0 and a < 2^53, (a - a % b) / b is a whole number: a / b rounded up where a % b < 0, else rounded down. With one more
-- where a % b > 0 it is a / b rounded up, exactly.
-- A script has only those of these names that it uses: each takes time in every run.

local NEVER = 1 / 0
local ANCIENT = -1 / 0
local call = redis.call
local try = redis.pcall
local pack = struct.pack
local unpack = struct.unpack
local byte = string.byte
local fmod = math.fmod
local max = math.max
-- The server's clock, and the expiry of keys.
--
-- Time is the server's own, in microseconds, so the clients' clocks do not matter. A key expires when its state equals a
-- fresh one, rounded up to milliseconds, plus two: the clock by which Redis expires keys may be that far behind TIME.

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

local function find(holds, takenAt, permits)
  for i, each in ipairs(holds) do
    if each.takenAt == takenAt and each.permits == permits then return i end
  end
end

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
local most, lease_1 = unpack('<dd', ARGV[1])

-- Which multiple of length a number is in.
local function multiple(number, length)
  local rest = fmod(number, length)
  if rest < 0 then rest = rest + length end
  return (number - rest) / length
end

local key_1 = KEYS[k + 1]
local holds_1, held_1, lasts_1, stored_1 = {}, 0, lease_1, ANCIENT
if lease_1 == 0 then lasts_1 = NEVER end
local raw_1 = try('GET', key_1)
if raw_1 then
  if #raw_1 > 0 and fmod(#raw_1, 24) == 1 and byte(raw_1) == 67 then
    for at = 2, #raw_1, 24 do
      local takenAt, expiresAt, permits = unpack('<ddd', raw_1, at)
      if expiresAt > now and permits > 0 and permits <= 2 ^ 53 then
        holds_1[#holds_1 + 1] = { takenAt = takenAt, expiresAt = expiresAt, permits = permits }
        held_1, stored_1 = held_1 + permits, max(stored_1, expiresAt)
      end
    end
    if stored_1 - now > lasts_1 then
      if raw_1 then
        local claim
        claim = ANCIENT
        if lease_1 > 0 then claim = stored_1 end
        if not (claim - now <= 1000000) then
          local millis = try('PTTL', key_1) -- an error if the user may not ask for it
          if type(millis) == 'number' and not (claim - now <= millis * 1000 + 1000000) then
            problem, broken = 4, broken or {}
            broken[#broken + 1] = key_1
          end
        end
      end
    end
  else
    problem, broken = 4, broken or {}
    broken[#broken + 1] = key_1
  end
end
local used_1, freshAt_1 = 0, ANCIENT

if problem ~= 0 then
  for i = 1, #(broken or {}) do call('DEL', broken[i]) end
  return pack('<Bd', problem, now)
end

local reply = { pack('<Bd', 1, now) }
used_1 = held_1
do
  local spans = {}
  reply[#reply + 1] = pack('<dd', used_1, #spans) .. table.concat(spans)
end
return table.concat(reply)
