-- Twin of FixedWindow.java: a count, and the window it is for.
--
-- state    F, then start and end of the window, the permits in it, and if windows are aligned when they were first charged,
--          which tells what was charged before a reset: doubles
-- numbers  period; alignment = when windows start: 0 with the first request, 1 at multiples of the period, 2 at
--          calendarStart, which the caller works out. If now is not before calendarEnd, the reply says so

--@numbers period_ alignment_ calendarStart_ calendarEnd_

--@read
local start_, finish_, count_, stored_, began_ = ANCIENT, ANCIENT, 0, ANCIENT, ANCIENT
local raw_ = try('GET', key_)
if alignment_ == 2 and (now < calendarStart_ or now >= calendarEnd_) then problem = 3 end
if raw_ then
  local tag, start, finish, count, began
  if #raw_ == 33 then
    tag, start, finish, count, began = unpack('<Bdddd', raw_)
  elseif #raw_ == 25 then
    tag, start, finish, count = unpack('<Bddd', raw_)
    began = start
  end
  if tag == 70 and count >= 0 and finish >= start and began <= finish then
    start_, finish_, count_, stored_, began_ = start, finish, count, finish, began
    if start > now or finish - now > period_ then
      --@suspect
    end
    if alignment_ ~= 2 and finish_ - start_ ~= period_ and now < finish_ then -- the limit was changed
      if alignment_ == 1 then
        local into = math.fmod(now, period_)
        if into < 0 then into = into + period_ end
        finish_ = now - into + period_
      else
        finish_ = math.min(math.max(finish_, start_ + period_), now + period_)
      end
      start_ = finish_ - period_
    end
  else
    --@broken
  end
end
if now >= finish_ then count_ = 0 end
if start_ > latest then latest = start_ end

--@inUse
if (#raw == 25 or #raw == 33) and string.byte(raw) == 70 then
  local _, _, finish, count = unpack('<Bddd', raw)
  if now < finish then return count, count end -- when it was last charged is not known
end

--@claim
claim = stored_

--@ask
admitted = admitted and count_ + cost <= room_

--@charge
if latest >= finish_ then
  start_, count_, began_ = latest, 0, latest
  if alignment_ == 1 then
    local into = math.fmod(latest, period_)
    if into < 0 then into = into + period_ end
    start_ = latest - into
  end
  finish_ = start_ + period_
  if alignment_ == 2 then start_, finish_ = calendarStart_, calendarEnd_ end
end
if latest < began_ then began_ = latest end
count_ = count_ + cost

--@write
local state_
if alignment_ == 0 then
  state_ = pack('<Bddd', 70, start_, finish_, count_)
else
  state_ = pack('<Bdddd', 70, start_, finish_, count_, began_)
end
if finish_ == stored_ then
  --@keep
else
  --@save
end

--@used
used_ = count_

--@fresh
freshAt_ = finish_

--@ready
readyAt_ = finish_

--@refund
if now < finish_ and takenAt < finish_ and takenAt >= start_ and takenAt >= began_ then
  count_, changed_ = count_ - math.min(count_, unused), true
  if count_ == 0 then start_, finish_, began_ = ANCIENT, ANCIENT, ANCIENT end
end
