-- Integers in doubles: exact up to 2^53 if every division uses an exact remainder.
-- math.fmod is exact; the % operator of Lua 5.1 is not, and neither is a rounded quotient.
-- A script has only those of these names that it uses: each takes time in every run.

local NEVER = math.huge
local ANCIENT = -math.huge
local call = redis.call
local try = redis.pcall
local pack = struct.pack
local spread = unpack
local unpack = struct.unpack
local byte = string.byte
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

-- Decides on requests. Each is for one limit or several: all of them are charged or none.
--
-- The requests come in groups: those of a group are for the same keys and are decided one after another, as if each were a
-- script of its own. The states of a group are read once and written once.
--
-- KEYS   for each group one for each limit, and one more for each limit that continues the counts of another
-- ARGV   one string of little-endian doubles, for each group:
--        taking    1: charge the permits of a request if all limits admit them; 0: only reply as if, to one request
--        requests  how many
--        then for each limit the numbers of its algorithm
--        then for each request
--          cost      its permits
--          maxDelay  the longest acceptable delay in microseconds
--          then for each limit its room: the most permits that may be in use after this
-- Reply  one string, for each request a byte and little-endian doubles:
--        1 if admitted, else 0; now; when the permits were taken; when the work may start;
--        then for each limit the permits in use, when its state will equal a fresh one, when it admits the cost, and
--        its mark of the charge, which a refund needs
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

local args, at = ARGV[1], 1
local reply, replies, broken
for k = 0, #KEYS - 1, 3 do
  local taking, requests, weight_1, speed_1, queues_1, cost, maxDelay, room_1
  taking, requests, weight_1, speed_1, queues_1, cost, maxDelay, room_1, at = unpack('<dddddddd', args, at)
  local latest, dirty, problem, copies = now, false, 0, nil
  local key_1 = KEYS[k + 1]
  do
    local function inUse(raw) -- permits, and when they were last charged
      if #raw == 49 and byte(raw) == 66 then
        local _, missing, last, weight, speed = unpack('<Bdddd', raw)
        return (missing - max(0, now - last) * math.abs(speed)) / weight, last
      end
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
  local missing_1, last_1, count_1, refundableFrom_1 = 0, ANCIENT, 0, ANCIENT
  local raw_1 = try('GET', key_1)
  if raw_1 then
    local tag, missing, last, weightThen, speedThen, count, refundableFrom
    if #raw_1 == 49 then tag, missing, last, weightThen, speedThen, count, refundableFrom = unpack('<Bdddddd', raw_1) end
    if tag == 66 and missing >= 0 and count >= 0 and weightThen > 0 and (speedThen > 0 or speedThen < 0) then
      missing_1, last_1, count_1, refundableFrom_1 = missing, last, count, refundableFrom
      if not (last <= now) then
        if raw_1 then
          local claim
          local _, missing, last, _, speed = unpack('<Bdddd', raw_1)
          claim = last + missing / math.abs(speed)
          if not (claim - now <= 1000000) then
            local millis = try('PTTL', key_1) -- an error if the user may not ask for it
            if type(millis) == 'number' and not (claim - now <= millis * 1000 + 1000000) then
              problem, broken = 4, broken or {}
              broken[#broken + 1] = key_1
            end
          end
        end
      end
      if weightThen ~= weight_1 or speedThen ~= speed_1 - 2 * queues_1 * speed_1 then -- the limit was changed
        if fmod(weightThen, 1) ~= 0 or fmod(speedThen, 1) ~= 0 then
          problem, broken = 4, broken or {}
          broken[#broken + 1] = key_1
        elseif weightThen ~= weight_1 then -- as many permits as before are missing, a part rounded up
          local part = fmod(missing_1, weightThen)
          missing_1 = (missing_1 - part) / weightThen * weight_1
          if part > 0 then missing_1 = missing_1 + min(weight_1, ceil(part / weightThen * weight_1 * (1 + 2 ^ -50))) end
        end
        count_1, refundableFrom_1 = 0, max(now, last_1) + 1 -- marks of another rate mean nothing
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
      local part = fmod(missing_1, speed_1)
      freshAt_1 = last_1 + (missing_1 - part) / speed_1
      if part > 0 then freshAt_1 = freshAt_1 + 1 end
    end
    local state_1 = pack('<Bdddddd', 66, missing_1, last_1, weight_1, speed_1 - 2 * queues_1 * speed_1, count_1, refundableFrom_1)
    if freshAt_1 <= now then
      call('DEL', key_1)
    elseif freshAt_1 == NEVER then
      call('SET', key_1, state_1)
    else
      call('SET', key_1, state_1, 'PX', ceil((freshAt_1 - now) / 1000) + 2)
    end
  end
  for request = 1, requests do
    if request > 1 then
      cost, maxDelay, room_1, at = unpack('<ddd', args, at)
    end
    local admitted, departsAt, outcome = true, now, problem
    if outcome == 0 and request > 1 and latest > now then outcome = 5 end
    if outcome == 0 then
      if queues_1 == 1 and debt_1 > 0 then
        local part = fmod(debt_1, speed_1)
        local gone = time_1 + (debt_1 - part) / speed_1
        if part > 0 then gone = gone + 1 end
        departsAt = max(departsAt, gone)
      end
      admitted = admitted and debt_1 + cost * weight_1 <= room_1 * weight_1
      if (admitted or cost == 0) and departsAt - now <= maxDelay then
        outcome = 1
        if cost > 0 then
          if latest > time_1 then debt_1 = max(0, debt_1 - (latest - time_1) * speed_1) end
          if debt_1 == 0 and latest > last_1 then count_1, refundableFrom_1 = 0, max(refundableFrom_1, latest) end
          missing_1, last_1, count_1 = debt_1 + cost * weight_1, latest, count_1 + queues_1
          debt_1, time_1 = missing_1, last_1
          mark_1 = count_1
          if queues_1 == 0 then mark_1 = missing_1 + count_1 end
          dirty = taking == 1
        end
        readyAt_1, freshAt_1 = now, ANCIENT
        do
          local part = fmod(debt_1, weight_1)
          used_1 = (debt_1 - part) / weight_1
          if part > 0 then used_1 = used_1 + 1 end
        end
        if missing_1 > 0 then
          local part = fmod(missing_1, speed_1)
          freshAt_1 = last_1 + (missing_1 - part) / speed_1
          if part > 0 then freshAt_1 = freshAt_1 + 1 end
        end
      else
        readyAt_1, freshAt_1, mark_1 = now, ANCIENT, 0
        do
          local part = fmod(debt_1, weight_1)
          used_1 = (debt_1 - part) / weight_1
          if part > 0 then used_1 = used_1 + 1 end
        end
        if missing_1 > 0 then
          local part = fmod(missing_1, speed_1)
          freshAt_1 = last_1 + (missing_1 - part) / speed_1
          if part > 0 then freshAt_1 = freshAt_1 + 1 end
        end
        if cost <= room_1 and not (used_1 + cost <= room_1) then
          local tooMuch = debt_1 + (cost - room_1) * weight_1
          local part = fmod(tooMuch, speed_1)
          readyAt_1 = time_1 + (tooMuch - part) / speed_1
          if part > 0 then readyAt_1 = readyAt_1 + 1 end
          if not dirty and not (copies and copies[key_1]) then -- else the state was written just now
            if raw_1 then
              local claim
              local _, missing, last, _, speed = unpack('<Bdddd', raw_1)
              claim = last + missing / math.abs(speed)
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
    local record = pack('<Bddddddd', outcome, now, latest, departsAt, used_1, freshAt_1, readyAt_1, mark_1)
    if not reply then
      reply = record
    elseif replies then
      replies[#replies + 1] = record
    else
      replies = { reply, record }
    end
  end
  if dirty then
    do
      local state_1 = pack('<Bdddddd', 66, missing_1, last_1, weight_1, speed_1 - 2 * queues_1 * speed_1, count_1, refundableFrom_1)
      if freshAt_1 <= now then
        call('DEL', key_1)
      elseif freshAt_1 == NEVER then
        call('SET', key_1, state_1)
      else
        call('SET', key_1, state_1, 'PX', ceil((freshAt_1 - now) / 1000) + 2)
      end
    end
  end
  if broken then
    call('DEL', spread(broken))
    broken = nil
  end
end
if replies then return table.concat(replies) end
return reply
