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
do
  local k = 0
  local taking, lease_1, cost, maxDelay, room_1 = unpack('<ddddd', ARGV[1])
  local latest, dirty, problem, copies = now, false, 0, nil
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
  local used_1, freshAt_1, readyAt_1, mark_1 = 0, ANCIENT, now, 0
      local admitted, departsAt, outcome = true, now, problem
      if outcome == 0 then
        admitted = admitted and held_1 + cost <= room_1
        if (admitted or cost == 0) and departsAt - now <= maxDelay then
          outcome = 1
          if cost > 0 then
            holds_1[#holds_1 + 1] = { takenAt = latest, expiresAt = latest + lasts_1, permits = cost }
            held_1 = held_1 + cost
            dirty = taking == 1
          end
          used_1 = held_1
          for _, each in ipairs(holds_1) do freshAt_1 = max(freshAt_1, each.expiresAt) end
        else
          used_1 = held_1
          for _, each in ipairs(holds_1) do freshAt_1 = max(freshAt_1, each.expiresAt) end
          if cost <= room_1 and not (used_1 + cost <= room_1) then
            readyAt_1 = NEVER -- or when enough leases have ended, if none is renewed
            table.sort(holds_1, function(one, other) return one.expiresAt < other.expiresAt end)
            local left = held_1
            for _, each in ipairs(holds_1) do
              left = left - each.permits
              if left + cost <= room_1 then
                readyAt_1 = each.expiresAt
                break
              end
            end
            if not dirty and not (copies and copies[key_1]) then -- else the state was written just now
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
          end
          outcome = problem
        end
      end
      local record = pack('<Bddddddd', outcome, now, latest, departsAt, used_1, freshAt_1, readyAt_1, mark_1)
  if dirty then
    do
      local packed_1 = { 'C' }
      for i, each in ipairs(holds_1) do packed_1[i + 1] = pack('<ddd', each.takenAt, each.expiresAt, each.permits) end
      local state_1 = table.concat(packed_1)
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
  do return record end
end
