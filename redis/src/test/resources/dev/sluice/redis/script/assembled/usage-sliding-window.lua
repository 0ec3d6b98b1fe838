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
local rep = string.rep
local fmod = math.fmod
local max = math.max
local min = math.min
-- The server's clock, and the expiry of keys.
--
-- Time is the server's own, in microseconds, so the clients' clocks do not matter. A key expires when its state equals a
-- fresh one, rounded up to milliseconds, plus two: the clock by which Redis expires keys may be that far behind TIME.

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

local function floorDiv(a, b)
  local rest = fmod(a, b)
  if rest < 0 then rest = rest + b end
  return (a - rest) / b
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
local most, slice_1, slices_1, weighted_1 = unpack('<dddd', ARGV[1])

-- Which multiple of length a number is in.
local function multiple(number, length)
  local rest = fmod(number, length)
  if rest < 0 then rest = rest + length end
  return (number - rest) / length
end

local key_1 = KEYS[k + 1]
local newest_1, last_1, began_1, ring_1, stored_1 = floorDiv(now, slice_1), ANCIENT, NEVER, nil, ANCIENT
local raw_1 = try('GET', key_1)
if raw_1 then
  local tag, sliceThen, newestThen, last, began
  if #raw_1 > 33 and #raw_1 < 30000 and fmod(#raw_1, 8) == 1 then
    tag, sliceThen, newestThen, last, began = unpack('<Bdddd', raw_1)
  end
  if tag == 87 and sliceThen > 0 and last < (newestThen + 1) * sliceThen and began <= last then
    last_1, began_1 = last, began
    ring_1 = { unpack('<' .. rep('d', (#raw_1 - 33) / 8), raw_1, 34) }
    ring_1[#ring_1] = nil -- the position where unpack stopped
    for i = 1, #ring_1 do
      if not (ring_1[i] >= 0 and ring_1[i] <= 2 ^ 53) then last = nil end
    end
    for i = #ring_1, 1, -1 do
      if ring_1[i] ~= 0 then
        stored_1 = (newestThen + i) * sliceThen
        break
      end
    end
    if not last then
      problem, broken = 4, broken or {}
      broken[#broken + 1] = key_1
    elseif not (last <= now) or newestThen * sliceThen > now then
      if raw_1 then
        local claim
        local _, _, _, last = unpack('<Bddd', raw_1)
        claim = max(stored_1, last)
        if not (claim - now <= 1000000) then
          local millis = try('PTTL', key_1) -- an error if the user may not ask for it
          if type(millis) == 'number' and not (claim - now <= millis * 1000 + 1000000) then
            problem, broken = 4, broken or {}
            broken[#broken + 1] = key_1
          end
        end
      end
    end
    if sliceThen == slice_1 and #ring_1 == slices_1 + 1 then
      newest_1 = newestThen
    else -- the limit was changed: each count as taken at the last instant of its slice
      newest_1 = floorDiv(max(now, last_1), slice_1)
      if sliceThen ~= slice_1 then began_1 = last_1 end -- what was charged before is not refunded
      local old = ring_1
      ring_1 = {}
      for i = 1, slices_1 + 1 do ring_1[i] = 0 end
      for i = 1, #old do
        local lastInstant = min((newestThen - #old + i + 1) * sliceThen - 1, max(now, last_1))
        local at = slices_1 + 1 - (newest_1 - floorDiv(lastInstant, slice_1))
        if at >= 1 and at <= slices_1 + 1 then ring_1[at] = ring_1[at] + old[i] end
      end
    end
  else
    problem, broken = 4, broken or {}
    broken[#broken + 1] = key_1
  end
end
if not ring_1 then
  ring_1 = {}
  for i = 1, slices_1 + 1 do ring_1[i] = 0 end
end
if last_1 > latest then latest = last_1 end
local time_1, sum_1 = max(now, last_1), 0
do -- the permits in the slices that are in the window at time_1
  local current, gone = newest_1, 0
  if time_1 >= (newest_1 + 1) * slice_1 then
    current = floorDiv(time_1, slice_1)
    gone = min(current - newest_1, slices_1 + 1)
  end
  sum_1 = 0
  for i = gone + 1, slices_1 + 1 do sum_1 = sum_1 + ring_1[i] end
  if weighted_1 == 1 and gone <= slices_1 then
    local partial = ring_1[gone + 1]
    local product = partial * ((current + 1) * slice_1 - time_1)
    local rest = fmod(product, slice_1)
    local counted = (product - rest) / slice_1
    if rest > 0 then counted = counted + 1 end
    sum_1 = sum_1 - (partial - counted)
  end
end
local used_1, freshAt_1 = 0, ANCIENT

if problem ~= 0 then
  for i = 1, #(broken or {}) do call('DEL', broken[i]) end
  return pack('<Bd', problem, now)
end

local reply = { pack('<Bd', 1, now) }
used_1 = sum_1
do
  local spans = {}
  local slice, next = max(newest_1, floorDiv(time_1, slice_1)), 1
  next = next + min(slice - newest_1, slices_1 + 1)
  local together, oldest, uncounted = multiple(slices_1, most - 1) + 1, newest_1 - slices_1 - 1, -sum_1
  for i = next, slices_1 + 1 do uncounted = uncounted + ring_1[i] end
  while next <= slices_1 + 1 do
    local number, permits = multiple(oldest + next, together), -uncounted
    uncounted = 0
    repeat
      permits, next = permits + ring_1[next], next + 1
    until next > slices_1 + 1 or oldest + next >= (number + 1) * together
    local from, to = max(number * together, slice - slices_1) * slice_1, (number + 1) * together * slice_1
    if permits > 0 then spans[#spans + 1] = pack('<ddd', time_1 - from, max(0, time_1 - to), permits) end
  end
  reply[#reply + 1] = pack('<dd', used_1, #spans) .. table.concat(spans)
end
return table.concat(reply)
