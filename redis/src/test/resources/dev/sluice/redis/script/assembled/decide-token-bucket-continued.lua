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
-- The server's clock, and the expiry of keys.
--
-- Time is the server's own, in microseconds, so the clients' clocks do not matter. A key expires when its state equals a
-- fresh one, rounded up to milliseconds, plus two: the clock by which Redis expires keys may be that far behind TIME.

local time = call('TIME')
local now = time[1] * 1000000 + time[2]

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
  local taking, runs, weight_1, speed_1, tag_1, times, cost, maxDelay, room_1
  taking, runs, weight_1, speed_1, tag_1, times, cost, maxDelay, room_1, at = unpack('<ddddddddd', args, at)
  local latest, dirty, problem, copies = now, false, 0, nil
  local key_1 = KEYS[k + 1]
  do
    local function inUse(raw) -- permits, and when they were last charged
      local tag, missing, last, weight, speed, since, count
      if #raw == 28 then
        tag, missing, last, weight, speed, since = unpack('<Bi7i7I5I3I5', raw)
        count = 0
      elseif #raw == 43 then
        tag, missing, last, weight, speed, since, count = unpack('<Bi7i7i7i7i7i7', raw)
      end
      local whole
      whole = tag and weight > 0 and speed > 0
        and tag - tag % 2 == 64 + 2 * math.fmod(math.fmod(weight, 89) + math.fmod(speed, 89), 89)
      if whole then return (missing - math.max(0, now - last) * speed) / weight, last end
      return 0, ANCIENT
    end
    local function follows(raw, own) -- whether own was not charged since raw was made of it
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
  local used_1, freshAt_1, readyAt_1, mark_1 = 0, ANCIENT, now, 0
  if copies and copies[key_1] and problem ~= 4 then
    freshAt_1 = ANCIENT
    if missing_1 > 0 then
      local part = missing_1 % speed_1
      freshAt_1 = last_1 + (missing_1 - part) / speed_1
      if part > 0 then freshAt_1 = freshAt_1 + 1 end
    end
    local state_1
    local since_1 = last_1 - refundableFrom_1
    if count_1 == 0 and since_1 >= 0 and since_1 < 2 ^ 40 and weight_1 < 2 ^ 40 and speed_1 < 2 ^ 24 then
      state_1 = pack('<Bi7i7I5I3I5', tag_1, missing_1, last_1, weight_1, speed_1, since_1)
    else
      state_1 = pack('<Bi7i7i7i7i7i7', tag_1, missing_1, last_1, weight_1, speed_1, since_1, count_1)
    end
    if freshAt_1 <= now then
      call('DEL', key_1)
    elseif freshAt_1 == NEVER then
      call('SET', key_1, state_1)
    else
      call('SET', key_1, state_1, 'PX', format('%d', (freshAt_1 - now + 2999) / 1000)) -- as a number it would take longer
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
        if queues_1 == 1 and debt_1 > 0 then
          local part = debt_1 % speed_1
          local gone = time_1 + (debt_1 - part) / speed_1
          if part > 0 then gone = gone + 1 end
          if gone > departsAt then departsAt = gone end
        end
        admitted = admitted and debt_1 + cost * weight_1 <= room_1 * weight_1
        if (admitted or cost == 0) and departsAt - now <= maxDelay then
          outcome = 1
          if cost > 0 then
            if latest > time_1 then debt_1 = math.max(0, debt_1 - (latest - time_1) * speed_1) end
            if debt_1 == 0 and latest > last_1 then
              count_1 = 0
              if latest > refundableFrom_1 then refundableFrom_1 = latest end
            end
            missing_1, last_1, count_1 = debt_1 + cost * weight_1, latest, count_1 + queues_1
            debt_1, time_1 = missing_1, last_1
            mark_1 = count_1
            if queues_1 == 0 then mark_1 = missing_1 + count_1 end
            dirty = taking == 1
          end
          readyAt_1, freshAt_1 = now, ANCIENT
          do
            local part = debt_1 % weight_1
            used_1 = (debt_1 - part) / weight_1
            if part > 0 then used_1 = used_1 + 1 end
          end
          if missing_1 > 0 then
            local part = missing_1 % speed_1
            freshAt_1 = last_1 + (missing_1 - part) / speed_1
            if part > 0 then freshAt_1 = freshAt_1 + 1 end
          end
          if together > 1 then
            outcome = 2
            readyAt_1 = missing_1
          end
        elseif together > 1 then
          outcome = 0 -- one by one, then
        else
          readyAt_1, freshAt_1, mark_1 = now, ANCIENT, 0
          do
            local part = debt_1 % weight_1
            used_1 = (debt_1 - part) / weight_1
            if part > 0 then used_1 = used_1 + 1 end
          end
          if missing_1 > 0 then
            local part = missing_1 % speed_1
            freshAt_1 = last_1 + (missing_1 - part) / speed_1
            if part > 0 then freshAt_1 = freshAt_1 + 1 end
          end
          if cost <= room_1 and not (used_1 + cost <= room_1) then
            local tooMuch = debt_1 + (cost - room_1) * weight_1
            local part = tooMuch % speed_1
            readyAt_1 = time_1 + (tooMuch - part) / speed_1
            if part > 0 then readyAt_1 = readyAt_1 + 1 end
            if not dirty and not (copies and copies[key_1]) then -- else the state was written just now
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
      local state_1
      local since_1 = last_1 - refundableFrom_1
      if count_1 == 0 and since_1 >= 0 and since_1 < 2 ^ 40 and weight_1 < 2 ^ 40 and speed_1 < 2 ^ 24 then
        state_1 = pack('<Bi7i7I5I3I5', tag_1, missing_1, last_1, weight_1, speed_1, since_1)
      else
        state_1 = pack('<Bi7i7i7i7i7i7', tag_1, missing_1, last_1, weight_1, speed_1, since_1, count_1)
      end
      if freshAt_1 <= now then
        call('DEL', key_1)
      elseif freshAt_1 == NEVER then
        call('SET', key_1, state_1)
      else
        call('SET', key_1, state_1, 'PX', format('%d', (freshAt_1 - now + 2999) / 1000)) -- as a number it would take longer
      end
    end
  end
  if broken then
    for i = 1, #broken do call('DEL', broken[i]) end
    broken = nil
  end
end
return table.concat(replies)
