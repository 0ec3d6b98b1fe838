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

-- Decides on requests. Each is for one limit or several: all of them are charged or none.
--
-- There are two scripts of this: for a request by itself, without the lines between @several and @done; and for several
-- requests, without those between @alone and @done. Several come in groups: those of a group are for the same keys and are
-- decided one after another, as if each were a script of its own. The states of a group are read once and written once.
-- Requests of a group that are alike and follow each other are a run. If all of a run are admitted, they are charged in one
-- step: to take a and then b at the same instant is to take a + b.
--
-- KEYS   for each group one for each limit, and one more for each limit that continues the counts of another
-- ARGV   one string of little-endian doubles, for each group:
--        taking    1: charge the permits of a request if all limits admit them; 0: only reply as if, to one request
--        runs      how many; not for a request by itself
--        then for each limit the numbers of its algorithm
--        then for each run
--          times     how many requests, 1 if the charges of a limit are not alike; not for a request by itself
--          cost      the permits of one
--          maxDelay  the longest acceptable delay in microseconds
--          then for each limit its room: the most permits that may be in use after this
-- Reply  one string, for each request a byte and little-endian doubles:
--        1 if admitted, else 0; now; when the permits were taken; when the work may start;
--        then for each limit the permits in use, when its state will equal a fresh one, when it admits the cost, and
--        its mark of the charge, which a refund needs
--        The byte is 2 if this is the last request of a run of which all are admitted. It stands for all of them: those
--        before it left the cost less in use. A bucket then says what is missing in place of when it admits the cost
--        The byte is 3 if a calendar window has ended and the caller must work out the next one, 4 if a state was damaged
--        and has been deleted, 5 if the clock is behind the states, so that requests must come one by one: nothing was
--        decided, and the caller asks again
--        all times are microseconds since 1970
--
-- Atomic, because Redis runs no other command during a script.
--
-- The lines between @each and @end are repeated for each limit, with names that end in _ separate for each. @read and the
-- like stand for a part of the algorithm's file, of the clock's or of state.lua. Numbers are packed, and parts are pasted
-- instead of called, because every run starts anew: parsing text and defining functions takes longer than the decision.

local broken
local args, at = ARGV[1], 1
local replies, length = {}, 0
for k = 0, #KEYS - 1, 3 do
  local taking, runs, period_1, capacity_1, times, cost, maxDelay, room_1
  taking, runs, period_1, capacity_1, times, cost, maxDelay, room_1, at = unpack('<dddddddd', args, at)
  local latest, dirty, problem, copies = now, false, 0, nil
  local key_1 = KEYS[k + 1]
  do
    local function countOf(raw, head, size, length, instant)
      local low, high = 0, size
      while low < high do
        local middle = math.floor((low + high) / 2)
        local at = 50 + math.floor(fmod(head + middle, length)) * 8
        if at + 7 > #raw or unpack('<d', raw, at) <= instant then low = middle + 1 else high = middle end
      end
      return low
    end
    local function inUse(raw) -- permits, and when they were last charged
      local tag, head, size, length, last
      if #raw >= 49 then tag, head, size, length, last = unpack('<Bdddd', raw) end
      if tag == 76 and head >= 0 and head < max(1, length) and size >= 0 and size <= length and length < 2 ^ 24 then
        return size - countOf(raw, head, size, length, now - period_1), last
      end
      return 0, ANCIENT
    end
    local function follows(raw, own) -- whether own was not charged since raw was made of it
      local _, _, _, _, _, _, newest = unpack('<Bdddddd', own)
      local _, head, size, length = unpack('<Bddd', raw)
      do return countOf(raw, head, size, length, newest) > countOf(raw, head, size, length, newest - 1) end
      return true
    end
    local isOwn = try('EXISTS', key_1) ~= 0
    local most, since, own, before, from = 0, ANCIENT, nil, nil, nil
    if isOwn and true then
      local raw = try('GET', key_1)
      if type(raw) == 'string' then most, since = inUse(raw) end
      if most > 0 then own = raw end
    end
    if true or not isOwn then
      for i = k + 1 + 1, k + 1 + 2 do
        local other = try('GET', KEYS[i])
        if type(other) == 'string' then
          local used, last = inUse(other)
          if used > most and last > since and (not own or follows(other, own)) then
            most, before, from = used, other, KEYS[i]
          end
        end
      end
    end
    if before then
      local copied = false
      local millis = try('PTTL', from)
      copied = type(millis) == 'number' and millis > 0
      if copied then call('SET', key_1, before, 'PX', millis) end
      if copied then
        copies = copies or {}
        copies[key_1] = true
      end
    end
  end
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
  local used_1, freshAt_1, readyAt_1, mark_1 = 0, ANCIENT, now, 0
  if copies and copies[key_1] and problem ~= 4 then
    freshAt_1 = ANCIENT
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
  local decided = false
  for run = 1, runs do
    if run > 1 then
      times, cost, maxDelay, room_1, at = unpack('<dddd', args, at)
    end
    local one, together = cost, 1
    if times > 1 and latest == now and problem == 0 then cost, together = one * times, times end
    while times > 0 do
      local admitted, departsAt, outcome = true, now, problem
      if outcome == 0 and decided and latest > now then outcome = 5 end
      if outcome == 0 then
        admitted = admitted and live_1 + cost <= room_1
        if (admitted or cost == 0) and departsAt - now <= maxDelay then
          outcome = 1
          if cost > 0 then
            live_1 = live_1 + cost
            last_1, added_1 = latest, added_1 + cost
            dirty = taking == 1
          end
          readyAt_1, freshAt_1 = now, ANCIENT
          used_1 = live_1
          if added_1 > 0 then
            freshAt_1 = last_1 + period_1
          elseif size_1 > 0 then
            freshAt_1 = newest_1 + period_1
          end
          if together > 1 then
            outcome = 2
          end
        elseif together > 1 then
          outcome = 0 -- one by one, then
        else
          readyAt_1, freshAt_1, mark_1 = now, ANCIENT, 0
          used_1 = live_1
          if added_1 > 0 then
            freshAt_1 = last_1 + period_1
          elseif size_1 > 0 then
            freshAt_1 = newest_1 + period_1
          end
          if cost <= room_1 and not (used_1 + cost <= room_1) then
            local index = live_1 + cost - room_1 - 1 -- when this live entry leaves, the cost is admitted
            local longest = newest_1 + period_1
            if added_1 > 0 then longest = last_1 + period_1 end
            readyAt_1 = longest
            if index < live_1 - added_1 - 1 then
              readyAt_1 = unpack('<d', entriesOf(raw_1, key_1, head_1, length_1, gone_1 + index, 1)) + period_1
              if not (readyAt_1 <= longest) then readyAt_1 = longest end
            elseif index == live_1 - added_1 - 1 then
              readyAt_1 = newest_1 + period_1
            end
            if not dirty and not (copies and copies[key_1]) then -- else the state was written just now
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
          end
          outcome = problem
        end
      end
      if outcome == 0 and together > 1 then
        cost, together = one, 1
      else
        local record = pack('<Bddddddd', outcome, now, latest, departsAt, used_1, freshAt_1, readyAt_1, mark_1)
        length = length + 1
        replies[length] = record
        decided, times = true, times - together
      end
    end
  end
  if dirty then
    do
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
  end
  if broken then
    for i = 1, #broken do call('DEL', broken[i]) end
    broken = nil
  end
end
return table.concat(replies)
