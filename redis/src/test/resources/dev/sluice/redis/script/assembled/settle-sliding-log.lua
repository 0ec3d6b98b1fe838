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
local format = string.format
local pack = struct.pack
local unpack = struct.unpack
local rep = string.rep
local fmod = math.fmod
local ceil = math.ceil
local max = math.max
local min = math.min
-- The server's clock, and the expiry of keys.
--
-- Time is the server's own, in microseconds, so the clients' clocks do not matter. A key expires when its state equals a
-- fresh one, rounded up to milliseconds, plus two: the clock by which Redis expires keys may be that far behind TIME.

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

local SMALL, EMPTY = 128, '\0\0\0\0\0\0\0\0'

-- Entries of the ring, from index on, as they lie in it; raw is what was read of the state.
local function entriesOf(raw, key, head, length, index, count)
  if count == 0 then return '' end
  local packed
  if length <= SMALL then
    packed = string.sub(raw, 50 + index * 8, 49 + (index + count) * 8)
  else
    local at = head + index
    if at >= length then at = at - length end
    local straight = min(count, length - at)
    packed = call('GETRANGE', key, 49 + at * 8, 49 + (at + straight) * 8 - 1)
    if straight < count then packed = packed .. call('GETRANGE', key, 49, 49 + (count - straight) * 8 - 1) end
  end
  if #packed < count * 8 then packed = packed .. rep('\0', count * 8 - #packed) end
  return packed
end

-- How many of the first size entries are at or before upTo, usually a few, and the first one that is not if it was read.
local function countUpTo(raw, key, head, length, size, upTo)
  local some = min(16, size)
  local packed = entriesOf(raw, key, head, length, 0, some)
  for i = 0, some - 1 do
    local entry = unpack('<d', packed, i * 8 + 1)
    if entry > upTo then return i, entry end
  end
  local low, high = some, size
  while low < high do
    local middle = math.floor((low + high) / 2)
    if unpack('<d', entriesOf(raw, key, head, length, middle, 1)) <= upTo then low = middle + 1 else high = middle end
  end
  return low
end

-- rep copies character by character, so a long text is made of two halves.
local function repeated(slot, count)
  if count < 64 then return rep(slot, count) end
  local half = repeated(slot, math.floor(count / 2))
  if fmod(count, 2) == 1 then return half .. half .. slot end
  return half .. half
end

-- Refunds or releases the permits of a decision.
--
-- KEYS   one for each limit, and one more for each limit that continues the counts of another, all in one slot
-- ARGV   one string of little-endian doubles:
--        verb      0 refund: the request did not run; 1 release: it is done
--        cost      the permits that were taken
--        takenAt   when they were taken, as the decision said
--        unused    how many of the permits are refunded, the last ones of the request
--        then for each limit the numbers of its algorithm
--        then for each limit its room, and its mark, as the decision said; -infinity if the limit was not charged
-- Reply  1, now, packed as in decide.lua; or 3 or 4, now: nothing was done, as there
--
-- Atomic, because Redis runs no other command during a script. @each and the like are explained in decide.lua.

local REFUND, RELEASE = 0, 1
local k, latest, problem, broken, copies = 0, now, 0, nil, nil
local verb, cost, takenAt, unused, period_1, capacity_1, room_1, mark_1 = unpack('<dddddddd', ARGV[1])

local key_1 = KEYS[k + 1]
local head_1, size_1, length_1, last_1, oldest_1, newest_1, gone_1, added_1 = 0, 0, 0, ANCIENT, ANCIENT, ANCIENT, 0, 0
local raw_1 = try('GETRANGE', key_1, 0, 48 + SMALL * 8)
if raw_1 == '' then
  raw_1 = nil
else
  local tag, head, size, length, last, oldest, newest
  if #raw_1 >= 49 then tag, head, size, length, last, oldest, newest = unpack('<Bdddddd', raw_1) end
  if tag == 76 and size >= 0 and size <= length and head >= 0 and head < max(1, length) and length < 2 ^ 24
    and fmod(head, 1) == 0 and fmod(size, 1) == 0 and fmod(length, 1) == 0
    and (size == 0 or (oldest <= newest and newest <= last)) then
    head_1, size_1, length_1, last_1, oldest_1, newest_1 = head, size, length, last, oldest, newest
    if not (last <= now) or not (newest <= now) then
      if raw_1 then
        local claim
        local size, last = unpack('<d', raw_1, 10), unpack('<d', raw_1, 26) -- few names: Lua has a bound on them
        claim = unpack('<d', raw_1, 42) + period_1
        if size == 0 or last > claim then claim = last end
        if not (claim - now <= 1000000) then
          local millis = try('PTTL', key_1) -- an error if the user may not ask for it
          if type(millis) == 'number' and not (claim - now <= millis * 1000 + 1000000) then
            problem, broken = 4, broken or {}
            broken[#broken + 1] = key_1
          end
        end
      end
    end
    local upTo = max(now, last_1) - period_1
    if size_1 > 0 and oldest_1 <= upTo then
      local first
      gone_1, first = countUpTo(raw_1, key_1, head_1, length_1, size_1, upTo)
      oldest_1 = first or NEVER
    end
    if last_1 > latest then latest = last_1 end
  else
    problem, broken = 4, broken or {}
    broken[#broken + 1] = key_1
  end
end
local live_1 = size_1 - gone_1
local freshAt_1, changed_1 = ANCIENT, false

if problem ~= 0 then
  for i = 1, #(broken or {}) do call('DEL', broken[i]) end
  return pack('<Bd', problem, now)
end

if verb == REFUND and mark_1 > ANCIENT then
  if takenAt > max(now, last_1) - period_1 and size_1 > 0 then
    local first = countUpTo(raw_1, key_1, head_1, length_1, size_1, takenAt - 1)
    local removed = min(unused, countUpTo(raw_1, key_1, head_1, length_1, size_1, takenAt) - first)
    if removed > 0 then
      local kept = entriesOf(raw_1, key_1, head_1, length_1, 0, first)
        .. entriesOf(raw_1, key_1, head_1, length_1, first + removed, size_1 - first - removed)
      head_1, size_1, changed_1 = 0, #kept / 8, true
      oldest_1, newest_1 = ANCIENT, ANCIENT
      if size_1 > 0 then oldest_1, newest_1 = unpack('<d', kept), unpack('<d', kept, #kept - 7) end
      if not (newest_1 <= last_1) then newest_1 = last_1 end -- an entry that no script has written
      if length_1 <= SMALL then length_1 = size_1 end
      call('SET', key_1, pack('<Bdddddd', 76, 0, size_1, length_1, last_1, oldest_1, newest_1)
        .. kept .. repeated(EMPTY, length_1 - size_1))
    end
  end
end
if changed_1 then
  if added_1 > 0 then
    freshAt_1 = last_1 + period_1
  elseif size_1 > 0 then
    freshAt_1 = newest_1 + period_1
  end
  if added_1 > 0 and (live_1 > length_1 or length_1 <= SMALL) then -- all of it, and room for more if it is not small
    local kept = live_1 - added_1
    local packed = entriesOf(raw_1, key_1, head_1, length_1, gone_1, kept)
    oldest_1 = last_1
    if kept > 0 then oldest_1 = unpack('<d', packed) end
    if live_1 > SMALL then length_1 = max(live_1, min(capacity_1, 2 * length_1), SMALL + 1) else length_1 = live_1 end
    head_1, size_1, newest_1 = 0, live_1, last_1
    local state_1 = pack('<Bdddddd', 76, 0, size_1, length_1, last_1, oldest_1, newest_1)
      .. packed .. repeated(pack('<d', last_1), added_1) .. repeated(EMPTY, length_1 - live_1)
    if freshAt_1 <= now then
      call('DEL', key_1)
    elseif freshAt_1 == NEVER then
      call('SET', key_1, state_1)
    else
      call('SET', key_1, state_1, 'PX', format('%d', (freshAt_1 - now + 2999) / 1000)) -- as a number it would take longer
    end
  elseif added_1 > 0 then
    local kept = live_1 - added_1
    if gone_1 > 0 then
      if kept > 0 and oldest_1 == NEVER then oldest_1 = unpack('<d', entriesOf(raw_1, key_1, head_1, length_1, gone_1, 1)) end
      head_1 = head_1 + gone_1
      if head_1 >= length_1 then head_1 = head_1 - length_1 end
    end
    local at = head_1 + kept
    if at >= length_1 then at = at - length_1 end
    local straight = min(added_1, length_1 - at)
    local instant = pack('<d', last_1)
    call('SETRANGE', key_1, 49 + at * 8, repeated(instant, straight))
    if straight < added_1 then call('SETRANGE', key_1, 49, repeated(instant, added_1 - straight)) end
    if kept == 0 then oldest_1 = last_1 end
    size_1, newest_1 = live_1, last_1
    call('SETRANGE', key_1, 0, pack('<Bdddddd', 76, head_1, size_1, length_1, last_1, oldest_1, newest_1))
    if freshAt_1 <= now then
      call('DEL', key_1)
    else
      call('PEXPIRE', key_1, ceil((freshAt_1 - now) / 1000) + 2)
    end
  else
    if freshAt_1 <= now then
      call('DEL', key_1)
    else
      call('PEXPIRE', key_1, ceil((freshAt_1 - now) / 1000) + 2)
    end
  end
end

return pack('<Bd', 1, now)
