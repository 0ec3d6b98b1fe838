-- One decision, on one limit or on several, all or nothing.
--
-- KEYS   one for each limit; all of one slot
-- ARGV   one string of doubles, most significant byte first:
--        taking    1: charge the permits if all limits admit them; 0: say what that would say
--        cost      permits asked for
--        maxDelay  longest delay of a queue that is acceptable, in microseconds; -1 for any
--        then for each limit its room (the most permits that may be in use after this) and the numbers of its algorithm
-- Reply  one string, of a byte and doubles:
--        1 or 0 for admitted or not, now, when the permits were taken, when the work may start,
--        then for each limit the permits in use, when its state will be as fresh, when it admits the cost;
--        or 3, now: the span of a calendar window is over
--        all times in microseconds since 1970
--
-- Atomic because a script is: no other command runs in between.
--
-- What stands between @each and @end is there once for each limit, with names that end in _ of its own; @look and the
-- like stand for those parts of its algorithm's file, or of the clock's. Numbers travel packed, and helpers are pasted and
-- not called, because a script starts from nothing every time: text turned to numbers and functions made anew for each
-- call take longer than the decision.

--@arguments taking cost maxDelay
local admitted, latest, departsAt = true, now, now

--@each
local key_ = KEYS[i_]
--@look
local used_, freshAt_, readyAt_ = 0, ANCIENT, now
--@end

if (admitted or cost == 0) and (maxDelay < 0 or departsAt - now <= maxDelay) then
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
