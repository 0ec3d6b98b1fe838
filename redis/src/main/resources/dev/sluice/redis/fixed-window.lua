-- Twin of FixedWindow.java: a count, and when its window ends.
--
-- state    F, then start and end of the window, permits in it: three doubles
-- numbers  period; turn = how windows begin: 0 with the first request, 1 at multiples of the period, 2 at spanStart,
--          which the caller worked out from a calendar: if now is not before spanEnd, it is told so and asks again

--@numbers period_ turn_ spanStart_ spanEnd_

--@look
local start_, finish_, count_ = ANCIENT, ANCIENT, 0
local raw_ = call('GET', key_)
if turn_ == 2 and (now < spanStart_ or now >= spanEnd_) then return { 3, now } end
if raw_ and string.byte(raw_) == 70 then
  start_, finish_, count_ = struct.unpack('>ddd', raw_, 2)
  if turn_ ~= 2 and finish_ - start_ ~= period_ and now < finish_ then -- the limit was changed
    if turn_ == 1 then
      finish_ = (floorDiv(now, period_) + 1) * period_
    else
      finish_ = min(max(finish_, start_ + period_), now + period_)
    end
    start_ = finish_ - period_
  end
end
if now >= finish_ then count_ = 0 end
if start_ > latest then latest = start_ end
admitted = admitted and count_ + need_ <= capacity_

--@charge
if latest >= finish_ then
  if turn_ == 0 then
    start_ = latest
  elseif turn_ == 1 then
    start_ = floorDiv(latest, period_) * period_
  end
  finish_, count_ = start_ + period_, 0
  if turn_ == 2 then start_, finish_ = spanStart_, spanEnd_ end
end
count_ = count_ + cost

--@write
keep(key_, struct.pack('>Bddd', 70, start_, finish_, count_), freshAt_)

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
