-- Decides on one request, for one limit or several: all of them are charged or none.
--
-- KEYS   one for each limit, all in one slot
-- ARGV   one string of big-endian doubles:
--        taking    1: charge the permits if all limits admit them; 0: only reply as if
--        cost      the permits of the request
--        maxDelay  the longest acceptable delay in microseconds
--        then for each limit its room (the most permits that may be in use after this) and the numbers of its algorithm
-- Reply  one string of a byte and big-endian doubles:
--        1 if admitted, else 0; now; when the permits were taken; when the work may start;
--        then for each limit the permits in use, when its state will equal a fresh one, when it admits the cost, and
--        its mark of the charge, which a refund needs
--        or 3, now: a calendar window has ended and the caller must work out the next one
--        all times are microseconds since 1970
--
-- Atomic, because Redis runs no other command during a script.
--
-- The lines between @each and @end are repeated for each limit, with names that end in _ separate for each. @read and the
-- like stand for a part of the algorithm's file or of the clock's. Numbers are packed, and parts are pasted instead of
-- called, because every run starts anew: parsing text and defining functions takes longer than the decision.

--@arguments taking cost maxDelay
local admitted, latest, departsAt = true, now, now

--@each
local key_ = KEYS[i_]
--@read
local used_, freshAt_, readyAt_, mark_ = 0, ANCIENT, now, 0
--@end

if (admitted or cost == 0) and departsAt - now <= maxDelay then
  if cost > 0 then
    --@each
    --@charge
    --@end
  end
  --@each
  --@used
  --@fresh
  --@end
  if taking == 1 then
    --@each
    --@write
    --@end
  end
  --@reply 1
end

--@each
--@used
--@fresh
if cost <= room_ and used_ + cost > room_ then
  --@ready
end
--@end
--@reply 0
