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
for k = 0, #KEYS - 1, 1 do
  local taking, runs, period_1, alignment_1, calendarStart_1, calendarEnd_1, times, cost, maxDelay, room_1
  taking, runs, period_1, alignment_1, calendarStart_1, calendarEnd_1, times, cost, maxDelay, room_1, at = unpack('<dddddddddd', args, at)
  local latest, dirty, problem, copies = now, false, 0, nil
  local key_1 = KEYS[k + 1]
  local start_1, finish_1, count_1, stored_1, began_1 = ANCIENT, ANCIENT, 0, ANCIENT, ANCIENT
  local raw_1 = try('GET', key_1)
  if alignment_1 == 2 and (now < calendarStart_1 or now >= calendarEnd_1) then problem = 3 end
  if raw_1 then
    local tag, start, finish, count, began
    if #raw_1 == 33 then
      tag, start, finish, count, began = unpack('<Bdddd', raw_1)
    elseif #raw_1 == 25 then
      tag, start, finish, count = unpack('<Bddd', raw_1)
      began = start
    end
    if tag == 70 and count >= 0 and finish >= start and began <= finish then
      start_1, finish_1, count_1, stored_1, began_1 = start, finish, count, finish, began
      if start > now or finish - now > period_1 then
        if raw_1 then
          local claim
          claim = stored_1
          if not (claim - now <= 1000000) then
            local millis = try('PTTL', key_1) -- an error if the user may not ask for it
            if type(millis) == 'number' and not (claim - now <= millis * 1000 + 1000000) then
              problem, broken = 4, broken or {}
              broken[#broken + 1] = key_1
            end
          end
        end
      end
      if alignment_1 ~= 2 and finish_1 - start_1 ~= period_1 and now < finish_1 then -- the limit was changed
        if alignment_1 == 1 then
          local into = math.fmod(now, period_1)
          if into < 0 then into = into + period_1 end
          finish_1 = now - into + period_1
        else
          finish_1 = math.min(math.max(finish_1, start_1 + period_1), now + period_1)
        end
        start_1 = finish_1 - period_1
      end
    else
      problem, broken = 4, broken or {}
      broken[#broken + 1] = key_1
    end
  end
  if now >= finish_1 then count_1 = 0 end
  if start_1 > latest then latest = start_1 end
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
        admitted = admitted and count_1 + cost <= room_1
        if (admitted or cost == 0) and departsAt - now <= maxDelay then
          outcome = 1
          if cost > 0 then
            if latest >= finish_1 then
              start_1, count_1, began_1 = latest, 0, latest
              if alignment_1 == 1 then
                local into = math.fmod(latest, period_1)
                if into < 0 then into = into + period_1 end
                start_1 = latest - into
              end
              finish_1 = start_1 + period_1
              if alignment_1 == 2 then start_1, finish_1 = calendarStart_1, calendarEnd_1 end
            end
            if latest < began_1 then began_1 = latest end
            count_1 = count_1 + cost
            dirty = taking == 1
          end
          readyAt_1, freshAt_1 = now, ANCIENT
          used_1 = count_1
          freshAt_1 = finish_1
          if together > 1 then
            outcome = 2
          end
        elseif together > 1 then
          outcome = 0 -- one by one, then
        else
          readyAt_1, freshAt_1, mark_1 = now, ANCIENT, 0
          used_1 = count_1
          freshAt_1 = finish_1
          if cost <= room_1 and not (used_1 + cost <= room_1) then
            readyAt_1 = finish_1
            if not dirty and not (copies and copies[key_1]) then -- else the state was written just now
              if raw_1 then
                local claim
                claim = stored_1
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
      if alignment_1 == 0 then
        state_1 = pack('<Bddd', 70, start_1, finish_1, count_1)
      else
        state_1 = pack('<Bdddd', 70, start_1, finish_1, count_1, began_1)
      end
      if finish_1 == stored_1 then
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
