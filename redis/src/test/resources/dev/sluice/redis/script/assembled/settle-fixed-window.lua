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
local verb, cost, takenAt, unused, period_1, alignment_1, calendarStart_1, calendarEnd_1, room_1, mark_1 = unpack('<dddddddddd', ARGV[1])

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
local freshAt_1, changed_1 = ANCIENT, false

if problem ~= 0 then
  for i = 1, #(broken or {}) do call('DEL', broken[i]) end
  return pack('<Bd', problem, now)
end

if verb == REFUND and mark_1 > ANCIENT then
  if now < finish_1 and takenAt < finish_1 and takenAt >= start_1 and takenAt >= began_1 then
    count_1, changed_1 = count_1 - math.min(count_1, unused), true
    if count_1 == 0 then start_1, finish_1, began_1 = ANCIENT, ANCIENT, ANCIENT end
  end
end
if changed_1 then
  freshAt_1 = finish_1
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

return pack('<Bd', 1, now)
