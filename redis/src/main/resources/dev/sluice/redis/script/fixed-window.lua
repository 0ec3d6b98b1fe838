-- Twin of FixedWindow.java: a count, and when its window ends.
--
-- state    F, then start and end of the window, permits in it: three doubles
-- numbers  period; turn = how windows begin: 0 with the first request, 1 at multiples of the period, 2 at spanStart,
--          which the caller worked out from a calendar: if now is not before spanEnd, it is told so and asks again

--@numbers period_ turn_ spanStart_ spanEnd_

--@look
local start_, finish_, count_ = ANCIENT, ANCIENT, 0
local raw_ = call('GET', key_)
if turn_ == 2 and (now < spanStart_ or now >= spanEnd_) then return pack('>Bd', 3, now) end
if raw_ and #raw_ == 25 then
  local tag, start, finish, count = unpack('>Bddd', raw_)
  if tag == 70 then
    start_, finish_, count_ = start, finish, count
    if turn_ ~= 2 and finish_ - start_ ~= period_ and now < finish_ then -- the limit was changed
      if turn_ == 1 then
        local into = fmod(now, period_)
        if into < 0 then into = into + period_ end
        finish_ = now - into + period_
      else
        finish_ = min(max(finish_, start_ + period_), now + period_)
      end
      start_ = finish_ - period_
    end
  end
end
if now >= finish_ then count_ = 0 end
if start_ > latest then latest = start_ end
admitted = admitted and count_ + cost <= room_

--@charge
if latest >= finish_ then
  start_, count_ = latest, 0
  if turn_ == 1 then
    local into = fmod(latest, period_)
    if into < 0 then into = into + period_ end
    start_ = latest - into
  end
  finish_ = start_ + period_
  if turn_ == 2 then start_, finish_ = spanStart_, spanEnd_ end
end
count_ = count_ + cost

--@write
local state_ = pack('>Bddd', 70, start_, finish_, count_)
--@keep

--@used
used_ = count_

--@fresh
freshAt_ = finish_

--@ready
readyAt_ = finish_

--@giveBack
if now < finish_ and takenAt < finish_ and takenAt >= start_ then
  count_ = count_ - min(count_, cost)
  if count_ == 0 then start_, finish_ = ANCIENT, ANCIENT end
end
