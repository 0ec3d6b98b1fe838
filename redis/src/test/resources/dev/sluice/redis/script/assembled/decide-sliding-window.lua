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
local spread = unpack
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
for k = 0, #KEYS - 1, 1 do
  local taking, runs, slice_1, slices_1, weighted_1, times, cost, maxDelay, room_1
  taking, runs, slice_1, slices_1, weighted_1, times, cost, maxDelay, room_1, at = unpack('<ddddddddd', args, at)
  local latest, dirty, problem, copies = now, false, 0, nil
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
  local used_1, freshAt_1, readyAt_1, mark_1 = 0, ANCIENT, now, 0
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
        admitted = admitted and sum_1 + cost <= room_1
        if (admitted or cost == 0) and departsAt - now <= maxDelay then
          outcome = 1
          if cost > 0 then
            if latest >= (newest_1 + 1) * slice_1 then
              local current = floorDiv(latest, slice_1)
              local gone = min(current - newest_1, slices_1 + 1)
              for i = 1, slices_1 + 1 do ring_1[i] = ring_1[i + gone] or 0 end
              newest_1 = current
            end
            ring_1[slices_1 + 1] = ring_1[slices_1 + 1] + cost
            if began_1 == NEVER then began_1 = latest end
            if latest == time_1 then
              last_1, sum_1 = latest, sum_1 + cost
            else
              last_1, time_1 = latest, latest
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
            end
            dirty = taking == 1
          end
          readyAt_1, freshAt_1 = now, ANCIENT
          used_1 = sum_1
          for i = slices_1 + 1, 1, -1 do
            if ring_1[i] ~= 0 then
              freshAt_1 = (newest_1 + i) * slice_1
              break
            end
          end
          if together > 1 then
            outcome = 2
          end
        elseif together > 1 then
          outcome = 0 -- one by one, then
        else
          readyAt_1, freshAt_1, mark_1 = now, ANCIENT, 0
          used_1 = sum_1
          for i = slices_1 + 1, 1, -1 do
            if ring_1[i] ~= 0 then
              freshAt_1 = (newest_1 + i) * slice_1
              break
            end
          end
          if cost <= room_1 and not (used_1 + cost <= room_1) then
            local most, count = room_1 - cost, 0
            for i = 1, slices_1 + 1 do count = count + ring_1[i] end
            for i = 1, slices_1 + 1 do
              local falling, fallsOffAt = ring_1[i], (newest_1 + i) * slice_1
              if count - falling <= most and fallsOffAt > now then
                local spared = most - (count - falling)
                if weighted_1 == 0 then
                  readyAt_1 = fallsOffAt
                elseif spared >= falling then
                  readyAt_1 = fallsOffAt - slice_1
                else
                  readyAt_1 = fallsOffAt - floorDiv(spared * slice_1, falling)
                end
                break
              end
              count = count - falling
            end
            if not dirty and not (copies and copies[key_1]) then -- else the state was written just now
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
      local state_1 = pack('<B' .. rep('d', slices_1 + 5), 87, slice_1, newest_1, last_1, began_1, spread(ring_1))
      if freshAt_1 == stored_1 then
        call('SET', key_1, state_1, 'KEEPTTL')
      else
        if freshAt_1 <= now then
          call('DEL', key_1)
        elseif freshAt_1 == NEVER then
          call('SET', key_1, state_1)
        else
          call('SET', key_1, state_1, 'PX', format('%d', (freshAt_1 - now + 2999) / 1000)) -- as a number it would take longer
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
