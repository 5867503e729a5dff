//! Steps of operations after their initialisation.

use std::fmt::Write;
use std::sync::Arc;

use super::answer::{write_current, write_result};
use super::channel::Target;
use super::core::SessionCore;
use super::operation::{NOT_PERMITTED, OperationKind};
use super::rest::Brought;
use super::special;
use crate::Result;
use crate::data::{Dynamic, Field, Value};
use crate::proto::{Command, ReplyHead, Request, RequestHead, sub};
use crate::request::Options;
use crate::server::account::{Charge, SMALL};
use crate::server::pv::{Call, Put, Token};
use crate::server::statistics::add;
use crate::server::{Denial, SharedPv};
use crate::wire::Status;

/// The log gets at most this many characters of a write.
const DESCRIPTION: usize = 200;

impl SessionCore {
    pub(super) fn request(&mut self, mut request: Request<'_>, left: &mut usize) -> Result<()> {
        let head = request.head;
        if head.is_init() {
            return self.init(request);
        }
        let reply = ReplyHead { command: head.command, ioid: head.ioid, sub: head.sub };
        // The most frequent request by far has the shortest way.
        if head.command == Command::Get
            && let Some(operation) = self.operations.get(&head.ioid)
            && operation.sid == head.sid
            && let OperationKind::Get(view) = &operation.kind
        {
            write_current(self.output.writer(), reply, view)?;
            self.finish_if_last(head.sid, reply);
            add(&self.shared.counters.gets, 1);
            return Ok(());
        }
        if head.command == Command::Monitor {
            return self.control(head, request.body);
        }
        // An RPC may define types with numbers, so its arguments are read even if the call is refused.
        if head.command == Command::Rpc {
            return self.bring(request, Brought::Arguments(None), left);
        }
        let Some(operation) = self.operation(head.sid, head.ioid, head.command) else {
            return self.answer(reply, &Denial::RequestId.into());
        };
        match &operation.kind {
            OperationKind::Put { view, .. } if head.sub & sub::GET != 0 => {
                let view = view.clone();
                self.show(head, reply, &view)
            }
            OperationKind::PutGet { put, get, .. } if head.sub & (sub::GET | sub::PIPELINE) != 0 => {
                let view = if head.sub & sub::GET != 0 { get.clone() } else { put.clone() };
                self.show(head, reply, &view)
            }
            OperationKind::Put { structure, .. } | OperationKind::PutGet { structure, .. } => {
                let value = Value::new(structure);
                let bits = value.bits(&mut request.body)?;
                self.bring(request, Brought::Changes(value, bits), left)
            }
            OperationKind::Process { pv, options } => {
                // Clones, because `put` borrows the whole session, of which the operation is a part.
                let (pv, options) = (pv.clone(), Arc::clone(options));
                match pv.structure() {
                    Some(structure) => self.put(head, pv, (Value::new(&structure), 0), options, true),
                    None => self.answer(reply, &Denial::NoValue.into()),
                }
            }
            OperationKind::Call { .. } | OperationKind::Get(_) | OperationKind::Monitor { .. } => {
                self.answer(reply, &Denial::RequestId.into())
            }
        }
    }

    fn show(&mut self, head: RequestHead, reply: ReplyHead, view: &crate::server::pv::View) -> Result<()> {
        write_current(self.output.writer(), reply, view)?;
        self.finish_if_last(head.sid, reply);
        Ok(())
    }

    /// Begins an execution with `bytes` bytes of data. `None`: another one is going on, and the client has been
    /// refused.
    fn start(&mut self, head: RequestHead, bytes: usize) -> Result<Option<Token>> {
        // A client may use an ioid again: the serial distinguishes a late completion from the present
        // execution.
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        let RequestHead { command, ioid, sub, .. } = head;
        let mut charge = Charge::new(&self.account);
        if bytes > SMALL && !charge.set(bytes) {
            let status = Denial::MemoryNow.into();
            self.answer(ReplyHead { command, ioid, sub }, &status)?;
            return Ok(None);
        }
        match self.operation(head.sid, ioid, command) {
            Some(operation) if operation.running.is_none() => {
                operation.running = Some(sub);
                operation.serial = serial;
                Ok(Some(Token::new(Arc::clone(&self.mailbox), ioid, serial).charge(charge)))
            }
            _ => {
                self.answer(ReplyHead { command, ioid, sub }, &Denial::Pending.into())?;
                Ok(None)
            }
        }
    }

    pub(super) fn put(
        &mut self,
        head: RequestHead,
        pv: SharedPv,
        (value, bytes): (Value, usize),
        options: Arc<Options>,
        process_only: bool,
    ) -> Result<()> {
        add(&self.shared.counters.puts, 1);
        // Before the rules are asked: an execution that is going on is answered as such to every caller.
        let Some(token) = self.start(head, bytes)? else { return Ok(()) };
        let peer = Arc::clone(&self.peer);
        let what = || if process_only { "process".into() } else { describe(&value) };
        let token = token.note(self.note(head.sid, what));
        let allowed = self.may_write(pv.access());
        let put = Put { pv: pv.clone(), value, options, peer, process_only, token };
        match pv.put_handler() {
            Some(handler) if allowed => handler(put),
            Some(_) => put.refuse(self.not_permitted(NOT_PERMITTED)),
            None => put.refuse(format!("{NOT_PERMITTED}: this channel can only be read")),
        }
        self.answer_done()
    }

    /// The reason why the client may not, and the remedy.
    fn not_permitted(&self, what: &str) -> String {
        let host = self.peer.address.ip();
        let hint = self.shared.hint.replace("{host}", &host.to_string());
        let dash = if hint.is_empty() { "" } else { "; " };
        format!("{what}: {} is not among those who may write{dash}{hint}", self.peer_without_port())
    }

    fn peer_without_port(&self) -> String {
        let host = self.peer.address.ip();
        // A client need not name an account.
        match self.peer.account.as_str() {
            "" => host.to_string(),
            account => format!("{account} at {host}"),
        }
    }

    /// Sends an immediate answer at once, before the client's next request.
    fn answer_done(&mut self) -> Result<()> {
        while let Some(completion) = self.mailbox.take_done() {
            self.complete(completion)?;
        }
        Ok(())
    }

    pub(super) fn call(
        &mut self,
        head: RequestHead,
        target: Target,
        options: Arc<Options>,
        arguments: Option<Dynamic>,
        bytes: usize,
    ) -> Result<()> {
        add(&self.shared.counters.calls, 1);
        let Target::Pv { pv, .. } = target else { return self.ask_server(head, arguments.as_ref()) };
        let Some(token) = self.start(head, bytes)? else { return Ok(()) };
        let peer = Arc::clone(&self.peer);
        let token = token.note(self.note(head.sid, || "call".into()));
        let allowed = self.may_write(pv.access());
        let call = Call { pv: pv.clone(), arguments, options, peer, token };
        match pv.call_handler() {
            Some(handler) if allowed => handler(call),
            Some(_) => call.refuse(self.not_permitted("Call not permitted")),
            None => call.refuse("this channel cannot be called"),
        }
        self.answer_done()
    }

    fn ask_server(&mut self, head: RequestHead, arguments: Option<&Dynamic>) -> Result<()> {
        let reply = ReplyHead { command: head.command, ioid: head.ioid, sub: head.sub };
        match special::answer(&*self.shared.provider, arguments, &mut self.extra) {
            Ok(result) => write_result(self.output.writer(), reply, Some(result))?,
            Err(error) => self.answer(reply, &Status::from(error))?,
        }
        self.finish_if_last(head.sid, reply);
        Ok(())
    }
}

/// The fields to be written, and their new values, in short.
fn describe(value: &Value) -> String {
    let mut text = String::new();
    for bit in value.changed().iter() {
        // Checked before each field, so that the line ends behind a whole field.
        if text.len() > DESCRIPTION {
            text.push('…');
            break;
        }
        let comma = if text.is_empty() { "" } else { ", " };
        let path = value.structure().path(bit);
        let _ = match value.field(bit) {
            Some(Field::Str(v)) => {
                // One long text must leave room for the other fields.
                write!(text, "{comma}{path} = {:?}", v.chars().take(40).collect::<String>())
            }
            Some(field) => match field.as_f64() {
                Some(v) => write!(text, "{comma}{path} = {v}"),
                // An array is named without its elements, which would fill the line.
                None => write!(text, "{comma}{path}"),
            },
            None => Ok(()),
        };
    }
    text
}
