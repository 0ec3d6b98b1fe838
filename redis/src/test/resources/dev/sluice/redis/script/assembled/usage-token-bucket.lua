-- Integers in doubles: exact up to 2^53 if every division uses an exact remainder.
-- math.fmod is exact, and takes longer the further its operands are apart. The % operator of Lua 5.1 takes the quotient from
-- a rounded division: where that was rounded up to a whole number, the remainder is what is missing to it, below 0. So for
-- a >= 0 and a < 2^53, (a - a % b) / b is a whole number: a / b rounded up where a % b < 0, else rounded down. With one more
-- where a % b > 0 it is a / b rounded up, exactly.
-- A script has only those of these names that it uses: each takes time in every run.

local ANCIENT = -1 / 0
local call = redis.call
local try = redis.pcall
local pack = struct.pack
local unpack = struct.unpack
local fmod = math.fmod
-- The server's clock, and the expiry of keys.
--
-- Time is the server's own, in microseconds, so the clients' clocks do not matter. A key expires when its state equals a
-- fresh one, rounded up to milliseconds, plus two: the clock by which Redis expires keys may be that far behind TIME.

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

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
local most, weight_1, speed_1, tag_1 = unpack('<dddd', ARGV[1])

-- Which multiple of length a number is in.
local function multiple(number, length)
  local rest = fmod(number, length)
  if rest < 0 then rest = rest + length end
  return (number - rest) / length
end

local key_1 = KEYS[k + 1]
local missing_1, last_1, count_1, refundableFrom_1, queues_1 = 0, ANCIENT, 0, ANCIENT, tag_1 % 2
local raw_1 = try('GET', key_1)
if raw_1 then
  local raw = raw_1
  local tag, missing, last, weight, speed, since, count
  if #raw == 28 then
    tag, missing, last, weight, speed, since = unpack('<Bi7i7I5I3I5', raw)
    count = 0
  elseif #raw == 43 then
    tag, missing, last, weight, speed, since, count = unpack('<Bi7i7i7i7i7i7', raw)
  end
  local same = tag == tag_1 and weight == weight_1 and speed == speed_1
  local whole = same
  if not same then -- the limit was changed
    whole = tag and weight > 0 and speed > 0
      and tag - tag % 2 == 64 + 2 * math.fmod(math.fmod(weight, 89) + math.fmod(speed, 89), 89)
  end
  if whole and missing >= 0 and count >= 0 then
    missing_1, last_1, count_1, refundableFrom_1 = missing, last, count, last - since
    if last > now then
      if raw_1 then
        local claim
        local raw = raw_1
        local tag, missing, last, weight, speed, since, count
        if #raw == 28 then
          tag, missing, last, weight, speed, since = unpack('<Bi7i7I5I3I5', raw)
          count = 0
        elseif #raw == 43 then
          tag, missing, last, weight, speed, since, count = unpack('<Bi7i7i7i7i7i7', raw)
        end
        claim = last + missing / speed
        if not (claim - now <= 1000000) then
          local millis = try('PTTL', key_1) -- an error if the user may not ask for it
          if type(millis) == 'number' and not (claim - now <= millis * 1000 + 1000000) then
            problem, broken = 4, broken or {}
            broken[#broken + 1] = key_1
          end
        end
      end
    end
    if not same then
      if weight ~= weight_1 then -- as many permits as before are missing, a part rounded up
        local part = math.fmod(missing_1, weight)
        missing_1 = (missing_1 - part) / weight * weight_1
        if part > 0 then missing_1 = missing_1 + math.min(weight_1, math.ceil(part / weight * weight_1 * (1 + 2 ^ -50))) end
        if missing_1 > 2 ^ 54 then missing_1 = 2 ^ 54 end -- more than any bucket holds
      end
      count_1, refundableFrom_1 = 0, math.max(now, last_1) + 1 -- marks of another rate mean nothing
    end
  else
    problem, broken = 4, broken or {}
    broken[#broken + 1] = key_1
  end
end
local debt_1, time_1 = missing_1, last_1
if now > last_1 then
  time_1, debt_1 = now, missing_1 - (now - last_1) * speed_1
  if not (debt_1 > 0) then debt_1 = 0 end
end
if last_1 > latest then latest = last_1 end
local used_1, freshAt_1 = 0, ANCIENT

if problem ~= 0 then
  for i = 1, #(broken or {}) do call('DEL', broken[i]) end
  return pack('<Bd', problem, now)
end

local reply = { pack('<Bd', 1, now) }
do
  local part = debt_1 % weight_1
  used_1 = (debt_1 - part) / weight_1
  if part > 0 then used_1 = used_1 + 1 end
end
do
  local spans = {}
  reply[#reply + 1] = pack('<dd', used_1, #spans) .. table.concat(spans)
end
return table.concat(reply)
